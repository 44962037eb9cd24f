"""How a case gets from step to step: through records, or by single actions."""
