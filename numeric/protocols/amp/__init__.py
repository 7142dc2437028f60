"""The protocol `amp`: approximate message passing on data of a teacher."""
