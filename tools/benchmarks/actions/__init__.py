"""What journeys of actions reach on five tables: ways, proofs, time, and rivals."""
