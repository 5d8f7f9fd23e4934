"""CANopen drives: object dictionary, SDO, PDO, NMT and the drive profile CiA 402."""
