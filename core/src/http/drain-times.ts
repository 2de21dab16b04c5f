/** How long the requests of a process may take that another has replaced, in milliseconds: nobody waits for its end. */
export const replacedDrainMs = 600_000;
