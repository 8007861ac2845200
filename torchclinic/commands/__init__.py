"""The command line, above all else."""
