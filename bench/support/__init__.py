"""What benches share: peers, mechanisms, notes."""
