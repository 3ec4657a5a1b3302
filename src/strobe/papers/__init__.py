"""The papers, put to the test: proofs, claims, ledgers, published tables, records and their certificates.

In the order of the data:

    published               the counts that papers print
    ledgers                 what these are sums of
    counted_code            what our own code costs
    attributed_counts       charged to its lines
    tables                  published, explained, counted
    simultaneous_steps      spread over processors
    claims                  what five documents claim
    findings                what a check finds
    findings_counts         by counting
    findings_asada          on the planar arm
    findings_decomposition  of 2012
    findings_hollerbach     of 1980
    findings_turney         of 1980
    findings_waters         of 1979
    approximation_claims    with plans, runs and approximations
    control_claims          with closed loops
    mechanism_claims        with closed chains and feet
    sheets                  tables, claims and records, shown
    ladder                  from equations as written to compiled code

    proof                   from Newton-Euler to Lagrange
    proof_lines             the form: sections of identities
    proof_rules             whether a line follows from the rules it names
    proof_arm               a moving arm in the proof's letters
    jets                    exact derivatives in any system
    proof_tools             rotations, traces, inertias
    proof_ends              the two ends
    proof_kinematics        4.1 to 4.9
    proof_own_link          4.10 to 4.27
    proof_above             4.28 to 4.37
    proof_modified          section 5
    proof_hollerbach        from the Lagrangian, as Hollerbach walks
    proof_planar            a planar arm, twice

    arm_patterns            arms by their zeros
    records                 counts published later
    certificates            programs as text, counted and checked
    conditions              what divisions ask of an arm
    fitted_arms             real arms in the names of a certificate
    fewest_records          each record and its certificate
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.papers.ladder import Rung as Rung, ladder as ladder

exported(__name__, {"strobe.papers.ladder": "Rung ladder"})
