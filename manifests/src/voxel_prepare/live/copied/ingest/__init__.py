"""`voxel-live --ingest`: CMAF tracks that encoders send over HTTP (DASH-IF Live Media Ingest, interface 1)."""
