"""Experiments: how each number and picture was made."""
