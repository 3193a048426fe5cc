import sys

from tests.bench.quotations.run import main

sys.exit(main())
