"""What executes: cells in processes of their own, judged and recorded."""
