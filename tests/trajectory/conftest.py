import pytest

import strobe


@pytest.fixture(scope="module")
def gantry(tmp_path_factory):
    """Two slides at right angles without gravity along them: masses 5 (3 + 2) and 2 kg, forces 10 N."""
    text = """<robot name="gantry"><link name="base"/>
    <link name="a"><inertial><mass value="3"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="b"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
      <limit lower="-9" upper="9" velocity="2" effort="10"/></joint>
    <joint name="y" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
      <limit lower="-9" upper="9" velocity="3" effort="10"/></joint></robot>"""
    path = tmp_path_factory.mktemp("models") / "gantry.urdf"
    path.write_text(text)
    return strobe.load(path)
