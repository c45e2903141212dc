"""`voxel-live --copy`: what encoders elsewhere send, cut into chunks as it comes and published without encoding."""
