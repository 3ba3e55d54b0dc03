"""What spans of a question may say: names, numbers and periods, and the words that they are of."""
