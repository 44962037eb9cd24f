"""Choosing among journeys: `criteria` score them, `choices` choose by criteria."""
