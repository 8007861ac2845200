"""Checks for what is wrong and raises nothing: it runs, and the results are bad.

    from torchclinic import checks

    print(checks.first_batch(loader))
    print(checks.optimizer_holds(model, optimizer))

Each check looks at your own model, batch, loader or optimizer and returns its findings, a list
of sentences: empty where it found nothing. A finding is never raised; what a check cannot judge is
(a ValueError or TypeError that says why), and so is what your own code raises. Your model is left
as it was: weights, buffers, gradients, modes and the state of random numbers. Checks that call your
model or loader say so.

Needs nothing but torch. The site offers all of it as one file to copy beside your script,
torchclinic_checks.py.
"""

from .common import Findings as Findings
from .data import augmentation as augmentation
from .data import batch_sizes as batch_sizes
from .data import epoch_set as epoch_set
from .data import epochs as epochs
from .data import first_batch as first_batch
from .data import sample_stays as sample_stays
from .gradients import accumulates as accumulates
from .gradients import clipped as clipped
from .gradients import gradients_cleared as gradients_cleared
from .gradients import kept_graphs as kept_graphs
from .gradients import moves as moves
from .gradients import overfit as overfit
from .gradients import unscaled as unscaled
from .modes import buffers_stay as buffers_stay
from .modes import eval_mode as eval_mode
from .modes import repeatable as repeatable
from .modes import train_mode as train_mode
from .outputs import ignores_padding as ignores_padding
from .outputs import initial_loss as initial_loss
from .outputs import logits as logits
from .outputs import permutes as permutes
from .outputs import probabilities as probabilities
from .outputs import same_shape as same_shape
from .weights import decayed as decayed
from .weights import learning_rates as learning_rates
from .weights import loaded as loaded
from .weights import optimizer_holds as optimizer_holds
from .weights import own_copy as own_copy
from .weights import registered as registered
from .weights import schedule as schedule
