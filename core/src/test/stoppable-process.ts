import { spawn, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';

/** A server in a process of its own, which is stopped and goes on as a machine that hangs does (SIGSTOP, SIGCONT). */
export class StoppableProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  static async start(program: string, args: readonly string[], port: number): Promise<StoppableProcess> {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return new StoppableProcess(child, port);
  }

  stop(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
