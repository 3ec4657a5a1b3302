"""From a program to text in another language: a table and a loop each."""
