"""A strategy per confinement tier."""

from harness.execution.tiers.confinement import Confinement, Orders
from harness.execution.tiers.portable import PortableConfinement
from harness.execution.tiers.standard import StandardConfinement
from harness.model.errors import UserError
from harness.model.result import Tier

__all__ = ["Confinement", "Orders", "confinement_of"]


def confinement_of(tier: Tier) -> Confinement:
    """The strategy of a tier; UserError where this release has none."""
    if tier is Tier.STANDARD:
        return StandardConfinement()
    if tier is Tier.PORTABLE:
        return PortableConfinement()
    raise UserError(
        f"the {tier} tier is not available.", hint="the best tier of this release is standard."
    )
