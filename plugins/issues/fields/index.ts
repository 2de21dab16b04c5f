import { dueDate } from './due-date.js';
import { ref } from './ref.js';
import { startDate } from './start-date.js';
import { timeEstimate } from './time-estimate.js';

/** Fields that pull requests show and take over the API as well; `README.md` says how to add one. */
export const pullFields = [startDate, dueDate] as const;

/** Every field, in the order in which records and the timeline name them. */
export const allFields = [ref, ...pullFields, timeEstimate] as const;
