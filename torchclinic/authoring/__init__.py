"""What someone needs who writes pages: commands of a checkout, left out of the wheel."""
