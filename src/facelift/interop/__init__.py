"""Other people's tools: results of DiCE and alibi, and clusters of Dask."""
