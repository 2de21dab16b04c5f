// For the compiler and the linter, programs in Go that end soon: they collect garbage so often that it costs a fifth of
// their time. A small machine has no memory to spare for less of it; the limit lies above what a whole build needs, for a
// program that comes near it does little else than collecting.
import { totalmem } from 'node:os';

export const goEnvironment = totalmem() > 12 * 2 ** 30 ? { GOGC: '400', GOMEMLIMIT: '6GiB' } : {};
