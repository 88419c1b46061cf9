"""The rules of a policy. Importing the package registers those of all its modules."""

from harness.common.discovery import import_modules

import_modules(__name__, __path__)
