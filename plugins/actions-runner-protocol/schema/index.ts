/** The messages of the protocol between Mortise and runners, made from `proto`. */
export * from './generated/ping/v1/ping_pb.js';
export * from './generated/runner/v1/runner_pb.js';
