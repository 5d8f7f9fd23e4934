import { describe, expect, it } from "vitest";
import { listedFiles } from "../../../src/ui/open/found-files.ts";

function file(path: string): File {
  const made = new File(["x"], path.replace(/^.*\//, ""));
  Object.defineProperty(made, "webkitRelativePath", { value: path.includes("/") ? path : "" });
  return made;
}

describe("files of an input", () => {
  it("have their paths below the folder; hidden ones are left out", () => {
    const found = listedFiles(
      ["arm/urdf/arm.urdf", "arm/.git/config", "arm/node_modules/x.xml", "arm/a.stl"].map(file),
    );
    expect(found.folder).toBe("arm");
    expect(found.files.map(({ path }) => path)).toEqual(["urdf/arm.urdf", "a.stl"]);
  });
  it("have no folder when they were chosen one by one", () => {
    const found = listedFiles([file("arm.urdf"), file("a.stl")]);
    expect([found.folder, found.files.length]).toEqual(["", 2]);
  });
});
