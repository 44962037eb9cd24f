"""Other packages: results of DiCE and alibi as multiverses, by their shape; work on Dask."""
