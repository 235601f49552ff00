"""The public names, nothing else."""
