// For the compiler and the linter, programs in Go that end soon: they collect garbage so often that it costs a fifth of
// their time. A small machine has no memory to spare for less of it.
import { totalmem } from 'node:os';

export const goEnvironment = totalmem() > 6 * 2 ** 30 ? { GOGC: '400', GOMEMLIMIT: '2GiB' } : {};
