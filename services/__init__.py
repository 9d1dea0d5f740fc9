"""The deployed half of Pinochle Arena: folders are services, files are tools; never published."""
