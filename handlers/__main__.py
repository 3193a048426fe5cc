"""`python -m handlers` is the command `assay`."""

from handlers.cli import main

raise SystemExit(main())
