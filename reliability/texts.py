"""Small inputs written by hand, from which the trials make others: robots, a request, a sweep, logs, options."""

MIMIC = b"""<?xml version="1.0"?>
<robot name="gripper">
  <link name="palm"><inertial><origin xyz="0 0 .1" rpy="0 1.5708 0"/><mass value="1"/>
    <inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
  <link name="left"><inertial><mass value=".1"/>
    <inertia ixx=".001" ixy="0" ixz="0" iyy=".001" iyz="0" izz=".001"/></inertial></link>
  <link name="right"><inertial><mass value=".1"/>
    <inertia ixx=".001" ixy="0" ixz="0" iyy=".001" iyz="0" izz=".001"/></inertial></link>
  <link name="camera"/>
  <joint name="slide" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 .1 0"/>
   <axis xyz="0 1 0"/>
    <limit lower="0" upper=".05" velocity="1" effort="10"/><dynamics damping=".1" friction=".2"/></joint>
  <joint name="follow" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper=".05" velocity="1" effort="10"/><mimic joint="slide" multiplier="1" offset="0"/></joint>
  <joint name="mount" type="fixed"><parent link="palm"/><child link="camera"/>
   <origin xyz="0 0 .2" rpy="0 0 3.1416"/></joint>
</robot>
"""
XACRO = (
    b"""<?xml version="1.0"?>
<robot name="macro" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="m" value="${2 * 3}"/>
  <xacro:macro name="bar" params="name parent *origin">
    <link name="${name}"><inertial><mass value="${m}"/>
      <inertia ixx="${m / 12}" ixy="0" ixz="0" iyy="${m / 12}" iyz="0" izz="0.1"/></inertial></link>
    <joint name="${name}_joint" type="revolute"><parent link="${parent}"/><child link="${name}"/>
      <xacro:insert_block name="origin"/><axis xyz="0 0 1"/>
       <limit lower="-1" upper="${pi/2}" velocity="1" effort="1"/></joint>
  </xacro:macro>
  <link name="base"/>
  <xacro:bar name="upper" parent="base"><origin xyz="0 0 0.5"/></xacro:bar>
  <xacro:if value="${m > 1}"><xacro:bar name="lower" parent="upper"><origin xyz="1 0 0"/></xacro:bar></xacro:if>
</robot>
""",
    b"""<robot name="m" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="side" default="left"/>
 <xacro:property name="sizes" value="${dict(a=1, b=[0.5, 2])}"/>
 <xacro:property name="box"><link name="box"/></xacro:property>
 <xacro:macro name="leg" params="n:=2 side:=^|right **more">
  <xacro:property name="last" value="${n}" scope="global"/>
  <xacro:if value="${n > 0}"><link name="${side}_${n}"/><xacro:leg n="${n - 1}"><more/></xacro:leg>
   <joint name="j${n}" type="fixed"><parent link="box"/><child link="${side}_${n}"/>
    <origin xyz="${sizes['a']} ${sum(sizes['b'])} $(eval 1 + 2)"/></joint></xacro:if>
  <xacro:insert_block name="more"/></xacro:macro>
 <xacro:insert_block name="box"/>
 <xacro:call macro="leg"><more><xacro:unless value="$(optenv X 0)"/></more></xacro:call>
 <xacro:element xacro:name="gazebo"><xacro:attribute name="side" value="$(arg side) $${x}"/></xacro:element></robot>
""",
)
XACRO_EXPRESSIONS = (
    b"${1 + 2 * a - b / 4 ** 2}", b"${radians(90) * sin(pi / a)} ${c.upper()[0]}", b"${a if c == 'left' else -a}",
    b"${' '.join([str(2 * x) for x in d['y'] if x > 1])}", b"${'%.3f %s' % (b, c)}", b"$${a} $(optenv X y) text",
    b"${1 < a <= 3 and not (c in ['left', 'right'] or d['x'])}", b"${c.format(a, b=b)} ${c.replace('l', c)}",
    b"${max(map(float, ['1', '2']))} ${python.sum(range(9))} ${round(b, 2)}", b"$(eval 1 + 2 if true else 3)",
    b"${xacro.dotify(d).x + len(d['y'][1:]) + int('7')}", b"${(1, 2)[0] | 6 & 3 ^ 1 << 2 >> 1 // 1 % 5}",
)  # fmt: skip
XACRO_ATTACKS = (
    b"${().__class__.__base__.__subclasses__()}", b"${python.type(1)}", b"${python.vars(xacro)}",
    b"${python.type(xacro.fatal).__globals__['os']}", b"${'{0.__class__.__init__.__globals__}'.format(a)}",
    b"${(lambda: 1)()}", b"${[x for x in ().__class__.__mro__]}", b"${__import__('os').system('true')}",
    b"${open('/etc/passwd').read()}", b"${getattr(1, 'real')}", b"${d.__init__}", b"${c.__class__}",
    b"${math.__dict__}",
    b"${10 ** 10 ** 10}", b"${'a' * 10 ** 10}", b"${[0] * 10 ** 10}", b"${range(10 ** 10)}", b"${1 << 10 ** 10}",
    b"${'%99999999d' % 1}", b"${c.join(['a'] * 9999).replace('a', c * 9999)}", b"${factorial(10 ** 7)}",
    b"${round(1, -10 ** 9)}", b"${sorted([[d] * 99] * 99)}", b"${str([[[[d] * 9] * 9] * 9] * 9)}",
    b"${[[[c for x in range(999)] for y in range(999)] for z in range(999)]}", b"${xacro.load_yaml('/etc/passwd')}",
    b"${" + b"(" * 500 + b"}", b"${" + b"-" * 5000 + b"1}", b"${" + b"1 + " * 2000 + b"1}",
    b"$(find " + b"a" * 500 + b")",
)  # fmt: skip
MJCF = (
    b"""<mujoco model="arm"><compiler angle="radian" autolimits="true"/>
<option gravity="0 0 -9.81"><flag contact="disable"/></option>
<default><joint damping="0.1" armature="0.01"/><default class="big"><geom size="0.05"/></default></default>
<worldbody>
 <body name="upper" pos="0 0 0.5"><joint name="shoulder" axis="0 1 0" range="-2 2" frictionloss="0.2"/>
  <geom class="big" type="capsule" fromto="0 0 0 0 0 0.4" mass="2"/>
  <body name="lower" pos="0 0 0.4" quat="1 0 0 0"><joint name="elbow" axis="0 1 0"/><joint name="twist" axis="0 0 1"/>
   <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.001"/><site name="tip" pos="0 0 0.3" euler="0 0 1"/>
    </body></body>
</worldbody>
<equality><joint joint1="twist" joint2="elbow" polycoef="0 0.5 0 0 0"/></equality>
<actuator><motor joint="shoulder" gear="10"/></actuator></mujoco>
""",
    b"""<mujoco><compiler angle="radian"/><worldbody>
<body name="crank"><joint name="crank" axis="0 -1 0"/><geom type="capsule" fromto="0 0 0 .15 0 0" size=".02"/>
 <body name="rod" pos=".15 0 0"><joint name="rod" axis="0 -1 0"/>
  <geom type="capsule" fromto="0 0 0 .45 0 0" size=".02"/>
 <site name="end" pos=".45 0 0"/></body></body>
<body name="slider" pos=".6 0 0"><joint name="slider" type="slide" axis="1 0 0"/>
 <geom type="box" size=".05 .05 .05"/></body>
<body name="lamp" pos="0 1 1"><joint type="ball"/><geom size=".1" pos=".3 .1 0"/></body>
<body name="float"><freejoint/><geom type="ellipsoid" size=".1 .2 .3"/></body>
</worldbody><equality><connect body1="rod" body2="slider" anchor=".45 0 0"/>
 <joint joint1="slider" polycoef="0 0 0 0 0"/></equality>
<keyframe><key name="home" qpos="0 0 0 1 0 0 0 0 0 0 1 0 0 0"/></keyframe></mujoco>
""",
)

MJCF_FILES = (
    b"""<mujoco model="parts"><compiler meshdir="." strippath="true" angle="radian"/>
<size memory="1M" nuser_body="2"/><include file="part.xml"/>
<asset><mesh name="hand" file="deep\\solid.obj"/><model name="limb" file="limb.xml"/>
<texture name="t" type="2d" file="none.png"/><hfield name="h" size="1 1 1 1" file="none.png"/></asset>
<worldbody><replicate count="3" offset="0 0 1"><body><joint/><geom size=".1"/></body></replicate>
<body name="palm"><joint/><geom type="mesh" mesh="hand"/><attach model="limb" body="limb" prefix="left_"/>
<frame pos="0 1 0"><attach model="limb" body="limb" prefix="right_"/></frame></body>
<body name="twice"><joint/><geom size=".1"/></body><attach body="twice" prefix="again_"/></worldbody></mujoco>
""",
    b"""<mujoco><include file="./part.xml"/><worldbody><body name="cloth" pos="0 0 1">
<flexcomp name="soft" type="grid" count="3 2 1" dim="2" mass="1" radius=".01" spacing=".1 .1 .1"/></body></worldbody>
</mujoco>
""",
)
BESIDE_MJCF = {
    "part.xml": b"""<mujoco><default><geom density="500"/></default><worldbody><body name="part"><joint/>
<geom size=".1"/></body></worldbody></mujoco>""",
    "limb.xml": b"""<mujoco model="limb"><worldbody><body name="limb"><joint/><geom size=".1"/></body></worldbody>
</mujoco>""",
    "solid.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
}

REQUEST = b"""method = "cubic"
envelope = 0.01

[parameters]
l = 0.4

[bounds]
velocity = 2
acceleration = [5, inf, 5, 5, 5, 5]
jerk = {joint1 = 80}

[[points]]
q = [0, "pi/2", 0.5, 0, 0, 0]
qd = [0, "free", 0, 0, 0, 0]
time = 0
name = "start"

[[points]]
q = {joint1 = 0.1, joint2 = 1.5, joint3 = "l", joint4 = 0, joint5 = 0, joint6 = 0}
time = 1.5

[[points]]
position = [0.2, 0.2, 0.3]
time = 6
"""

SWEEP = b"""task = "torque"
samples = 20
seed = 7
chunk = 10
robots = ["planar2", {model = "planar2", label = "upright", lock = {joint2 = 0.0}}]

[state]
q = {uniform = "limits"}
qd = {values = [0, 0.5]}
qdd = {normal = [0, "pi/2"]}

[payload]
mass = {uniform = [0, 3]}
centre = [0, 0, 0.1]

[torque]
friction = false
"""

FOREIGN_LOGS = (
    b"timestamp;actual_q_0;actual_q_1;actual_qd_0;actual_qd_1\n0,0;0,1;0,2;0,0;0,1\n0,1;0,2;0,3;0,1;0,2\n",
    b"time,/joint_states/joint1/position,/joint_states/joint2/position,/joint_states/joint1/effort\n0,0.1,0.2,3\n1,2,3,4\n",
    b"0 0.1 0.2 0 0\n0.1 0.2 0.3 0.1 0.2\n",
)
LOG = b"""t,q_joint1,q_joint2,qd_joint1,qd_joint2,qdd1,joint2_qdd,current
0.0,0.1,0.2,0.0,0.0,1.0,-1.0,3
0.1,0.11,0.21,0.1,0.05,1.0,-1.0,4
0.2,0.13,0.22,0.2,0.1,1.0,-1.0,5
"""
TORQUES = b"t,tau_joint1,tau_joint2\n0,1.5,0.3\n0.5,1,0.2\n1,-1.5,0.1\n"

EXPRESSIONS = (b"l1 - 2*(lc1 + 0.5)/3", b"-pi/2", b"1e-3", b"+l1*l1", b"(((1)))", b"2*l1/lc1 - -pi")
OPTIONS = (
    b"0.1,-0.2", b"[0.1 -0.2]", b"pi/2;1e-3", b"-1:2", b"0.5", b"-pi:pi 0:1", b"joint1=0.3", b"jo*=pi/4", b"64kB",
    b"1%", b"position=16,velocity=12", b"-0.1,-0.05;0.1,-0.05;0.1,0.05", b"kp=100", b"1,0,0,0.1",
)  # fmt: skip
NAMES = (
    b"planar2",
    b"random(3, 1)",
    b"random(4)",
    b"random(2, seed=7)",
    b"arm.urdf",
    b"./x.toml",
    b"stanford-c",
    b"Panda",
)
POSE = b'{"pose": [[1,0,0,0.3],[0,1,0,0],[0,0,1,0.2],[0,0,0,1]]}'
