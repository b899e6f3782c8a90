from caia_replay.api import BadInput as BadInput
from caia_replay.api import CaiaReplayError as CaiaReplayError
from caia_replay.api import Run as Run
from caia_replay.api import Score as Score
from caia_replay.api import Suite as Suite
from caia_replay.api import Task as Task
from caia_replay.api import ToolReply as ToolReply
from caia_replay.api import Toolset as Toolset
from caia_replay.api import open_suite as open_suite
from caia_replay.api import read_run as read_run
from caia_replay.api import replay as replay

__version__: str
