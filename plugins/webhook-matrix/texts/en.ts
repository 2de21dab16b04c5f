export const en = {
  server: 'Homeserver URL',
  room: 'Room ID',
  token: 'Access token',
  type: 'Message type',
  needed: 'Enter the homeserver URL and the room ID.',
} as const;
