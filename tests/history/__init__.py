"""History that outlives versions, ways back and ways forward."""
