"""Why a mechanism does not move, and which joint is placed wrongly."""
