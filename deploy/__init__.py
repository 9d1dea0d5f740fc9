"""What it takes to deploy the arena: migrations of the database, images and dashboards."""
