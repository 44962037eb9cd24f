"""The map of ways as coordinates and as SVG: knows lines, letters and colours, not journeys."""
