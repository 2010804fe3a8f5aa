"""Any history of a real folder and of people's decisions, played on a real installation by one state machine.

`folder` is the folder and what is known of it without asking the product, `base` the installation and how to look at it,
`checks` what must hold, `machine` the moves. The suite plays a few histories, `make prove` many; `proofs.planted` shows
that the machine notices faults.
"""
