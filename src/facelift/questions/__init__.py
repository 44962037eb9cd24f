"""Questions beyond the paper: each is answered in the file named like its function."""
