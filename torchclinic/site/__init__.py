"""What is shown: Markdown and notebooks from the catalogue, and the thin layer around MkDocs."""
