/** Driving: one character on the built graph, with the stage to itself; commands come from hands, pictures go to eyes. */

import { found } from "../dom";
import { frameOn, type PoseFrame } from "../pose_frame";
import { Bindings } from "./bindings";
import type { Desk } from "./desk";
import type { Command } from "./drive_choice";
import { DriveGraph } from "./drive_graph";
import { DriveInput } from "./drive_input";
import { DrivePanel } from "./drive_panel";
import { Driver } from "./driver";
import { EdgeDialog } from "./edge_dialog";
import { note } from "./notices";
import type { EdgesHeader, LibraryFacts } from "./protocol";
import type { Stage } from "./stage";
import { Stick } from "./stick";

const TURN_SPEED = 1.7;
/** Longer pauses (a hidden page) are not played. */
const LONGEST = 0.25;

export class DriveMode {
  active = false;
  driver: Driver | null = null;
  private readonly input = new DriveInput(() => this.active);
  private readonly stick = new Stick();
  private readonly panel: DrivePanel;
  private readonly bindings: Bindings;
  private readonly dialog: EdgeDialog;
  private frame: PoseFrame | null = null;
  private known = "";

  constructor(
    private readonly desk: Desk,
    private readonly stage: Stage,
    private readonly library: LibraryFacts,
  ) {
    this.bindings = new Bindings(desk.state);
    this.dialog = new EdgeDialog(desk);
    this.panel = new DrivePanel(desk, this.bindings, found("drive"), {
      perform: (slot) => this.perform(slot),
      rebind: (slot) => this.rebind(slot),
      again: () => this.again(),
      fidgets: (on) => {
        if (this.driver) this.driver.fidgets = on;
      },
    });
    this.input.slot = (slot) => this.perform(slot);
    this.stick.moved = (place) => (this.input.stick = place);
    found("stick-place").append(this.stick.element);
    desk.watch((change) => {
      if (change === "state") this.panel.refreshSlots();
    });
  }

  /** Get the graph, which must be built, and begin. */
  async start(): Promise<void> {
    const { state } = this.desk;
    const key = JSON.stringify([
      state.hubs.map((hub) => [hub.name, hub.threshold_cm, hub.matches.length]),
      state.edges.length,
    ]);
    if (key !== this.known || !this.driver) {
      const graph = new DriveGraph(await this.desk.line.askBytes<EdgesHeader>("edges"), this.library.skeleton);
      if (graph.count === 0) throw new Error("The graph has no edges; there is nothing to drive on.");
      this.driver = new Driver(graph);
      this.frame = frameOn({ characters: 1, joints: this.library.skeleton.parents.length, props: 0 });
      this.known = key;
    }
    this.panel.refreshSlots();
    this.active = true;
    this.stage.canvas.focus();
  }

  stop(): void {
    this.active = false;
    this.input.release();
  }

  /** Go on by so many seconds of the wall's clock; true where the picture changed. */
  tick(passed: number): boolean {
    const { driver, frame, stage } = this;
    if (!this.active || !driver || !frame) return false;
    const seconds = Math.min(passed, LONGEST);
    const wish = this.input.read();
    if (this.input.turning) stage.cameras.turn(this.input.turning * TURN_SPEED * seconds, 0);
    const command = this.command(wish.right, wish.ahead, wish.hurry);
    driver.obey(command);
    driver.step(seconds);
    driver.pose(frame);
    stage.show(frame);
    stage.point(frame.positions[0], frame.positions[1], command.heading, command.speed);
    this.stick.show(wish.right * (wish.hurry ? 1 : 0.7), wish.ahead * (wish.hurry ? 1 : 0.7));
    this.panel.refresh(driver, this.input.gamepad);
    return true;
  }

  private command(right: number, ahead: number, hurry: boolean): Command {
    const { driver, stage } = this;
    const length = Math.hypot(right, ahead);
    if (length === 0 || !driver) return { speed: 0, heading: driver?.commanded.heading ?? 0 };
    const { camera, focus } = stage.cameras;
    const view = Math.atan2(focus.y - camera.position.y, focus.x - camera.position.x);
    const { walk, fast } = driver.chooser;
    return { speed: length * (hurry ? fast : walk), heading: view + Math.atan2(-right, ahead) };
  }

  private perform(slot: number): void {
    const edge = this.bindings.edge(this.desk.state, slot);
    if (edge < 0) note(`There is no clip on key ${slot + 1}.`);
    else if (this.driver && !this.driver.perform(edge)) note("That clip cannot be reached from here.");
  }

  private rebind(slot: number): void {
    this.dialog.open(`Clip on key ${slot + 1}`, (edge) => {
      this.bindings.bind(this.desk.state, slot, edge);
      this.panel.refreshSlots();
    });
  }

  private again(): void {
    if (!this.driver) return;
    const { fidgets } = this.driver;
    this.driver = new Driver(this.driver.graph);
    this.driver.fidgets = fidgets;
    this.stage.canvas.focus();
  }
}
