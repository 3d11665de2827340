"""Repositories that earlier versions left behind: every later version goes on from them without a change."""
