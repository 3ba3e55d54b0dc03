"""Files of questions: one row out for each row in, in constant memory, continued after a kill.

Start reading at `job.run_batch`. `tables` reads and writes the formats, `engines` says where the
parts are computed.
"""

from partwise.serve.batch.job import BatchJob, run_batch

__all__ = ["BatchJob", "run_batch"]
