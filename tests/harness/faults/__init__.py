"""Programs that break others on purpose and look at what is left."""
