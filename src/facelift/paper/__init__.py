"""The paper's evaluation, from its data and models on; nothing else in facelift needs it."""
