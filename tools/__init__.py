"""Scripts for developers: benchmarks, attacks on promises, pictures of the documents."""
