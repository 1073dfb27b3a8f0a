"""What the commands compute and print, without the flags."""
