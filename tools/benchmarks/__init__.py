"""Measurements that print what they measure; run each as `python -m benchmarks.NAME`."""
