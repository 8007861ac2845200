"""What a paste is: cleaned, matched, decided. Standard library only; docs/assets has its twin."""
