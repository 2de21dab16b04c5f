/** Whether another transaction inserted or deleted the same row meanwhile, on either engine. */
export const isRowRace = (error: unknown): boolean =>
  error instanceof Error &&
  /UNIQUE constraint|FOREIGN KEY constraint|Duplicate entry|foreign key constraint fails/i.test(
    `${error.name} ${error.message}`,
  );
