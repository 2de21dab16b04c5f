/**
 * The public contract of `activity`: what happened, to whom it is told, and how other plugins record what they do.
 * Types, references and points; no behaviour.
 */
export { activityComments } from './contract/activity.js';
