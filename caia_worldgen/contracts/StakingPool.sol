// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Pays `ratePerSecond` of the reward token, from deployment to `end`, shared by what is staked.
/// Seconds in which nobody stakes pay nobody. Rewards must be sent here apart from this.
contract StakingPool {
    using SafeERC20 for IERC20;

    uint256 public constant ONE = 1e18;

    IERC20 public immutable stakeToken;
    IERC20 public immutable rewardToken;
    uint256 public immutable ratePerSecond;
    uint256 public immutable end;

    uint256 public totalStaked;
    uint256 public rewardPerUnit;
    uint256 public touchedAt;
    mapping(address => uint256) public stakedOf;
    mapping(address => uint256) public paidPerUnitOf;
    mapping(address => uint256) public pendingOf;

    event Staked(address indexed account, uint256 amount);
    event Unstaked(address indexed account, uint256 amount);
    event Claimed(address indexed account, uint256 amount);

    error ZeroAmount();
    error NotEnoughStaked(uint256 wanted, uint256 staked);
    error Unfunded(uint256 wanted, uint256 available);

    modifier touched() {
        rewardPerUnit = currentRewardPerUnit();
        touchedAt = _clock();
        pendingOf[msg.sender] += (stakedOf[msg.sender] * (rewardPerUnit - paidPerUnitOf[msg.sender])) / ONE;
        paidPerUnitOf[msg.sender] = rewardPerUnit;
        _;
    }

    constructor(IERC20 stakeToken_, IERC20 rewardToken_, uint256 ratePerSecond_, uint256 end_) {
        stakeToken = stakeToken_;
        rewardToken = rewardToken_;
        ratePerSecond = ratePerSecond_;
        end = end_;
        touchedAt = _clock();
    }

    /// Rewards of one staked unit since the beginning, with 18 decimals, rounded down at each touch.
    function currentRewardPerUnit() public view returns (uint256) {
        if (totalStaked == 0) return rewardPerUnit;
        return rewardPerUnit + ((_clock() - touchedAt) * ratePerSecond * ONE) / totalStaked;
    }

    /// What `account` could claim now, rounded down.
    function earned(address account) external view returns (uint256) {
        return pendingOf[account] + (stakedOf[account] * (currentRewardPerUnit() - paidPerUnitOf[account])) / ONE;
    }

    function stake(uint256 amount) external touched {
        if (amount == 0) revert ZeroAmount();
        stakedOf[msg.sender] += amount;
        totalStaked += amount;
        stakeToken.safeTransferFrom(msg.sender, address(this), amount);
        emit Staked(msg.sender, amount);
    }

    function unstake(uint256 amount) external touched {
        if (amount == 0) revert ZeroAmount();
        if (amount > stakedOf[msg.sender]) revert NotEnoughStaked(amount, stakedOf[msg.sender]);
        stakedOf[msg.sender] -= amount;
        totalStaked -= amount;
        stakeToken.safeTransfer(msg.sender, amount);
        emit Unstaked(msg.sender, amount);
    }

    /// Pay what is earned; stakes of the same token are never used for it.
    function claim() external touched returns (uint256 amount) {
        amount = pendingOf[msg.sender];
        if (amount == 0) revert ZeroAmount();
        uint256 available = rewardToken.balanceOf(address(this));
        if (rewardToken == stakeToken) available -= totalStaked;
        if (amount > available) revert Unfunded(amount, available);
        pendingOf[msg.sender] = 0;
        rewardToken.safeTransfer(msg.sender, amount);
        emit Claimed(msg.sender, amount);
    }

    function _clock() private view returns (uint256) {
        return block.timestamp < end ? block.timestamp : end;
    }
}
