"""What an economy is worth: coins, their prices and supplies, and the venue's books, from scenario and seed alone."""
