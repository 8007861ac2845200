"""What a paste is: cleaned, matched, decided. Standard library only; docs/assets/lookup.js is its twin."""
