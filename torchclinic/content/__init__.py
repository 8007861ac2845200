"""What people write, read and checked: snippets, pages, tips, facts, evidence; the catalogue of
them all, and the index made from it."""
